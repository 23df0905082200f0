# SPDX-License-Identifier: GPL-3.0-or-later
# Writes the C++ file of coolspan_embed: NAME, OUTPUT, FILES. An array, because
# compilers limit the length of string literals.
set(bytes)
foreach(file IN LISTS FILES)
  file(READ ${file} hex HEX)
  string(REGEX REPLACE "(..)" "0x\\1," hex "${hex}")
  string(APPEND bytes "${hex}")
endforeach()
string(REGEX REPLACE "(................................................................................)" "\\1\n" bytes "${bytes}")
file(WRITE ${OUTPUT} "#include <string_view>\n
namespace coolspan {
std::string_view ${NAME}();
std::string_view ${NAME}() {
  static constexpr unsigned char kBytes[] = {
${bytes}};
  return {reinterpret_cast<const char*>(kBytes), sizeof kBytes};
}
}  // namespace coolspan
")
