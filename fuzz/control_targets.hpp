// One function a decoder of control. libFuzzer calls them (control_fuzz.cpp), and the ordinary tests replay their corpora.
#pragma once
#include "fuzz/decoder.hpp"

namespace tenter::fuzz {

void slr3_frame(Bytes input);  // a whole frame, its payload by its type
void slr3_hello(Bytes input);  // payloads alone, so that a fuzzer need not guess the header
void slr3_task(Bytes input);
void slr3_control(Bytes input);
void slr3_reply(Bytes input);    // CONTROL_REPLY and COMPLETION
void slr3_command(Bytes input);  // the bytes of every control that is read
void gate_message(Bytes input);  // prefix and body, from both sides
void topology(Bytes input);
void host_file(Bytes input);

inline constexpr Decoder control_targets[] = {
    {"slr3_frame", slr3_frame},     {"slr3_hello", slr3_hello}, {"slr3_task", slr3_task},
    {"slr3_control", slr3_control}, {"slr3_reply", slr3_reply}, {"slr3_command", slr3_command},
    {"gate_message", gate_message}, {"topology", topology},     {"host_file", host_file}};

}  // namespace tenter::fuzz
