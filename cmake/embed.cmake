# Turns a file into C++ at build time: cmake -DINPUT= -DOUTPUT= -DHEADER= -DFUNCTION= -P embed.cmake
# Portable where .incbin and #embed are not.
file(READ ${INPUT} hex HEX)
string(REGEX REPLACE "(................................)" "\\1\n" hex "${hex}")
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
file(WRITE ${OUTPUT}
"// Written by cmake/embed.cmake.
#include \"${HEADER}\"
namespace bochner {
namespace {
const unsigned char bytes[] = {
${bytes}};
}
std::span<const unsigned char> ${FUNCTION}() { return bytes; }
}  // namespace bochner
")
