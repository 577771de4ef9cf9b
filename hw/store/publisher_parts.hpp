// The parts that more than one publisher is made of, each made from the same arguments.
#pragma once
#include "hw/ofi/fabric_part.hpp"
#include "hw/store/no_files_part.hpp"
#include "hw/store/publisher_inside.hpp"

namespace tenter::hw {

struct NoFiles : NoFilesPart {
  NoFiles(const PartArguments& a) : NoFilesPart(a.context) {}
};
struct Ofi : FabricPart {
  Ofi(const PartArguments& a) : FabricPart(a.context) {}
};

}  // namespace tenter::hw
