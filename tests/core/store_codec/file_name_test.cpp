#include "core/store/file_name.hpp"

#include "tests/core/store_codec/samples.hpp"

namespace tenter::store::test {
namespace file_name_test {
namespace {

// D20.
TEST(StoreFileName, every_name_is_one_file_in_the_directory_and_comes_back) {
  const std::pair<std::string, std::string> names[] = {
      {"x", "x.record"},
      {"label/key", "label%2Fkey.record"},
      {"a.b", "a%2Eb.record"},
      {"a_b", "a_b.record"},
      {"..", "%2E%2E.record"},
      {".hidden", "%2Ehidden.record"},
      {"größe 1", "gr%C3%B6%C3%9Fe%201.record"},
      {"100%", "100%25.record"},
      {"%2F", "%252F.record"},
      {"new\nline", "new%0Aline.record"},
      {"x.record", "x%2Erecord.record"},
  };
  for (const auto& [variable, file] : names) {
    EXPECT_EQ(record_file_name(variable).value(), file);
    EXPECT_EQ(variable_of_file_name(file).value(), variable);
  }
}

TEST(StoreFileName, names_that_cannot_be_files_are_refused_with_the_reason) {
  EXPECT_REFUSED(record_file_name(""), "at least one byte");
  EXPECT_REFUSED(record_file_name(std::string(257, 'a')), "257 bytes, at most 256 bytes");
  EXPECT_REFUSED(record_file_name("\xFFx"), "no UTF-8 at byte 0");
  EXPECT_REFUSED(record_file_name(std::string_view("a\0b", 3)), "a zero byte at byte 1");
  EXPECT_TRUE(record_file_name(std::string(193, 'a')));
  EXPECT_REFUSED(record_file_name(std::string(194, 'a')), "201 bytes, at most 200 bytes");
  EXPECT_REFUSED(record_file_name(std::string(100, '/')), "307 bytes, at most 200 bytes");
}

TEST(StoreFileName, what_the_encoder_would_not_write_is_nobodys) {
  for (const char* name : {"x", "x.lease", ".record", "%2.record", "%", "%2f.record", "%61.record", "a/b.record", "..record",
                           "a b.record", "%C3.record", "%00.record", ".tmp-1.record", "%2G.record", "x.record.record"})
    EXPECT_FALSE(variable_of_file_name(name).has_value()) << name;
}

TEST(StoreFileName, files_of_a_generation_carry_its_bytes_in_order) {
  const Generation core{0x0706'0504'0302'0100, 0x0F0E'0D0C'0B0A'0908}, reader{1, 2};
  EXPECT_EQ(heartbeat_file_name(core), "000102030405060708090a0b0c0d0e0f.heartbeat");
  EXPECT_EQ(lease_path(core, reader), "000102030405060708090a0b0c0d0e0f.readers/01000000000000000200000000000000.lease");
}

}  // namespace
}  // namespace file_name_test
}  // namespace tenter::store::test
