// One function a decoder of the store. libFuzzer calls them (store_fuzz.cpp), and the ordinary tests replay their corpora. Inputs
// whose checksums are wrong are judged as they are, and once more with the checksums made right: a fuzzer would not guess them.
#pragma once
#include "fuzz/decoder.hpp"

namespace tenter::fuzz {

void record(Bytes input);     // a record file
void shard(Bytes input);      // u8 rank, then one rank's record
void beat(Bytes input);       // a heartbeat or a lease
void region(Bytes input);     // the start of a region
void row_slot(Bytes input);   // u8 row bytes, then a versioned row
void file_name(Bytes input);  // a name in the directory, and a variable's name
void row_plan(
    Bytes input);  // u8 ranks, u8 row bytes, u8 versioned, u8 read bytes, ranks x u8 rows, then (u8 first, u8 rows) ranges

inline constexpr Decoder store_targets[] = {{"record", record},    {"shard", shard},       {"beat", beat},
                                            {"region", region},    {"row_slot", row_slot}, {"file_name", file_name},
                                            {"row_plan", row_plan}};

}  // namespace tenter::fuzz
