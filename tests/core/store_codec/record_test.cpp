#include "core/store/record.hpp"

#include "tests/core/store_codec/samples.hpp"

namespace tenter::store::test {
namespace record_test {
namespace {

TEST(StoreRecord, has_the_bytes_of_version_1) {
  const Blob file = encode_record(sample_record());
  ASSERT_EQ(file.size(), 1'024u + 3 * 368u);
  EXPECT_EQ(hex(file.bytes().first(192)),
            "544e5452524f5753"  // magic
            "01000000"
            "04030201"  // version, byte order
            "00040000"
            "70010000"                          // header and record bytes
            "5008000000000000"                  // file bytes
            "000102030405060708090a0b0c0d0e0f"  // generation
            "15cd853dfe9c9717"                  // start time
            "e110000000000000"
            "06120f0000000000"  // owner
            "03000000"
            "0b000000"
            "02000000"
            "00000000"  // cores, dtype, dimensions, flags
            "0200000000000000"
            "0300000000000000" +
                std::string(96, '0') +
                "0700000000000000"
                "3400000000000000"  // total rows, mr_mode
                "03000000"
                "d0070000"  // address format, heartbeat
                "07000000"
                "06000000"
                "0b000000"
                "0b000000");
  EXPECT_EQ(file.text().substr(192, 7), "train/7");
  EXPECT_EQ(file.text().substr(256, 6), "node-3");
  EXPECT_EQ(file.text().substr(512, 11), "x/größe 1");
  EXPECT_EQ(file.text().substr(768, 11), "tcp;ofi_rxm");
  EXPECT_EQ(hex(file.bytes().subspan(832, 188)), std::string(376, '0'));
}

TEST(StoreRecord, has_a_shard_a_rank_in_order) {
  const Blob file = encode_record(sample_record());
  EXPECT_EQ(hex(file.bytes().subspan(1'024 + 2 * 368, 48)),
            "02000000"
            "0c000000"
            "08000000"
            "00000000"
            "0030000000000000"
            "7000000000000000"
            "0200000000000000"
            "0102030405060732");
  EXPECT_EQ(file.text().substr(1'024 + 2 * 368 + 104, 12), "address of 2");
}

TEST(StoreRecord, checksum_is_crc_32c) {
  EXPECT_EQ(crc32c(bytes_of("123456789")), 0xE306'9283u);  // the check value of the algorithm's catalogue
  EXPECT_EQ(crc32c(Blob(32, [](MutableBytes to) { std::fill(to.begin(), to.end(), std::byte{0}); }).bytes()), 0x8A91'36AAu);
  EXPECT_EQ(crc32c(Blob(32, [](MutableBytes to) { std::fill(to.begin(), to.end(), std::byte{0xFF}); }).bytes()), 0x62A8'AB43u);
  EXPECT_EQ(crc32c(bytes_of("6789"), crc32c(bytes_of("12345"))), 0xE306'9283u);
}

TEST(StoreRecord, what_is_written_is_read_back) {
  for (const bool versioned : {false, true}) {
    const Record record = sample_record(versioned);
    EXPECT_EQ(decode_record(encode_record(record).bytes()).value(), record);
  }
  Record scalar = sample_record();
  scalar.row_shape = {};
  scalar.dtype = DType::int8;
  scalar.job.clear();
  scalar.host.clear();
  EXPECT_EQ(decode_record(encode_record(scalar).bytes()).value(), scalar);
}

TEST(StoreRecord, a_shard_travels_alone_where_there_is_no_file) {
  const Shard shard = sample_record().shards[2];
  const Blob bytes = encode_shard(shard, 2);
  EXPECT_EQ(decode_shard(bytes.bytes(), 2).value(), shard);
  EXPECT_REFUSED(decode_shard(bytes.bytes(), 1), "rank 1: rank at offset 0 is 2, wanted 1");
  EXPECT_REFUSED(decode_shard(bytes.bytes().first(367), 2), "shard of rank 2: 367 bytes, wanted 368");
  for_each_flip(bytes, [](Bytes flipped, std::size_t) {
    EXPECT_REFUSED(decode_shard(flipped, 2), "rank 2: record_checksum at offset 364");
  });
}

// D22, X01.
TEST(StoreRecord, no_cut_is_believed_and_each_says_what_is_missing) {
  const Blob file = encode_record(sample_record());
  for_each_cut(file, [&](Bytes cut) {
    const std::string wanted = cut.size() < 1'024 ? "1024 bytes" : "2128 bytes";
    EXPECT_REFUSED(decode_record(cut), (std::to_string(cut.size()) + " of " + wanted).c_str(),
                   ("offset " + std::to_string(cut.size())).c_str());
    EXPECT_EQ(decode_record(cut).error().status, Status::invalid);
  });
}

TEST(StoreRecord, nothing_may_follow) {
  const Blob file = encode_record(sample_record());
  for (const std::string_view tail : {std::string_view("\0", 1), std::string_view("\n"), file.text()}) {
    const Blob longer(std::string(file.text()) + std::string(tail));
    EXPECT_REFUSED(decode_record(longer.bytes()), (std::to_string(longer.size()) + " bytes, wanted 2128").c_str(),
                   "from offset 2128");
  }
}

TEST(StoreRecord, every_flipped_bit_is_found_and_its_place_named) {
  const Blob file = encode_record(sample_record());
  for_each_flip(file, [](Bytes flipped, std::size_t at) {
    const auto read = decode_record(flipped);
    ASSERT_FALSE(read.has_value()) << "offset " << at;
    const std::string& what = read.error().what;
    ASSERT_TRUE(contains(what, "at offset ")) << what;
    if (at < layout::header_bytes) {
      ASSERT_FALSE(contains(what, "rank 0") || contains(what, "rank 1") || contains(what, "rank 2")) << at << ": " << what;
    } else {
      const auto rank = (at - layout::header_bytes) / layout::record_bytes;
      ASSERT_TRUE(contains(what, "rank " + std::to_string(rank) + ": record_checksum")) << at << ": " << what;
    }
  });
}

TEST(StoreRecord, a_file_of_zeroes_of_the_right_size_is_not_one) {
  const std::string zeroes(2'128, '\0');
  EXPECT_REFUSED(decode_record(bytes_of(zeroes)), "magic at offset 0", "not a record file");
}

TEST(StoreRecord, a_tail_of_an_older_file_is_found) {
  Record older = sample_record();
  older.generation.low += 1;
  for (Shard& shard : older.shards) shard.key = Blob(std::string_view("old"));
  const Blob now = encode_record(sample_record()), before = encode_record(older);
  for (const std::size_t cut : {1'024u, 1'392u, 1'760u}) {
    const Blob mixed(std::string(now.text().substr(0, cut)) + std::string(before.text().substr(cut)));
    EXPECT_REFUSED(decode_record(mixed.bytes()), "checksum at offset 1020", "a record is another file's");
  }
}

TEST(StoreRecord, other_versions_and_byte_orders_are_named_as_such) {
  const Blob file = encode_record(sample_record());
  const auto refused = [&](const Field& field, std::uint32_t value, const char* text) {
    const auto read = decode_record(resealed(with(file, field.offset, value)).bytes());
    EXPECT_REFUSED(read, text);
    EXPECT_EQ(read.error().status, Status::mismatch);
  };
  refused(layout::version, 2, "format_version at offset 8 is 2, wanted 1");
  refused(layout::version, 0, "format_version at offset 8 is 0, wanted 1");
  refused(layout::byte_order, 0x0403'0201, "byte_order at offset 12");
  refused(layout::header_size, 1'032, "header_bytes at offset 16 is 1032, wanted 1024");
  refused(layout::record_size, 552, "record_bytes at offset 20 is 552, wanted 368");
}

}  // namespace
}  // namespace record_test
}  // namespace tenter::store::test
