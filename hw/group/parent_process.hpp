// The parent's three machines on their parts.
#pragma once
#include "core/mailbox/channel.hpp"
#include "core/mailbox/launch.hpp"
#include "core/mailbox/rendezvous.hpp"
#include "hw/group/page_part.hpp"
#include "hw/loop/local_part.hpp"
#include "hw/loop/process.hpp"
#include "hw/posix/client_part.hpp"
#include "hw/posix/entropy_part.hpp"
#include "hw/posix/files_part.hpp"
#include "hw/posix/host_part.hpp"
#include "hw/posix/processes_part.hpp"
#include "hw/posix/timers_part.hpp"
#include "hw/record/recorded.hpp"

namespace tenter::hw {

using ParentPort = Port<PagePart, TimersPart, ClientPart, LocalPart, FilesPart, ProcessesPart, EntropyPart, HostPart>;

// Machines by role: mailbox::channel_role 0, rendezvous_role 1, launch_role 2.
using ParentProcess = ObservedProcess<ParentPort, PerhapsRecorded, mailbox::Channel, mailbox::Rendezvous, mailbox::Launch>;

}  // namespace tenter::hw
