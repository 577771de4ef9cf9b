// Empty: its target owns the precompiled header that every test uses (tests/CMakeLists.txt).
