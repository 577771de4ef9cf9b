// One function a decoder of the mailbox: feeds it bytes from anyone and checks what must hold for every input. A failed check
// ends the run. libFuzzer calls them (mailbox_fuzz.cpp), and the ordinary tests replay their corpora (fuzz/corpus/<name>/).
#pragma once
#include "fuzz/decoder.hpp"

namespace tenter::fuzz {

void page_header(Bytes input);  // u64 size of the mapping, u32 world, u8 who attaches, then the header
void request(Bytes input);      // u32 request word, u64 last sequence, u32 world, then page offsets 40..75
void vector(Bytes input);       // u32 expected count, u64 claimed bytes, then the vector
void frame(Bytes input);        // a whole frame and, by its type, its payload
void error_list(Bytes input);
void manifest(Bytes input);  // also as a rank report
void envelope(Bytes input);  // also as a record and as readiness

inline constexpr Decoder mailbox_targets[] = {
    {"page_header", page_header}, {"request", request},   {"vector", vector},    {"frame", frame},
    {"error_list", error_list},   {"manifest", manifest}, {"envelope", envelope}};

}  // namespace tenter::fuzz
