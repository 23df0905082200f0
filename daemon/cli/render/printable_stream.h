// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_CLI_RENDER_PRINTABLE_STREAM_H_
#define COOLSPAN_CLI_RENDER_PRINTABLE_STREAM_H_

#include <ostream>
#include <streambuf>
#include <string>
#include <utility>

namespace coolspan {

// A stream that writes to another what EscapeControls leaves of a text: names
// of jobs, nodes and clusters come from others. kept: as EscapeControls'.
class PrintableStream final : public std::ostream {
 public:
  PrintableStream(std::ostream& target, std::string kept)
      : std::ostream(nullptr), buffer_(target, std::move(kept)) {
    rdbuf(&buffer_);
  }

 private:
  // Holds a line, or what was written before a flush.
  class Buffer final : public std::streambuf {
   public:
    Buffer(std::ostream& target, std::string kept)
        : target_(target), kept_(std::move(kept)) {}
    ~Buffer() override { Buffer::sync(); }

   protected:
    int_type overflow(int_type c) override;
    std::streamsize xsputn(const char* text, std::streamsize size) override;
    int sync() override;

   private:
    bool WriteOut();

    std::ostream& target_;
    const std::string kept_;
    std::string held_;
  };

  Buffer buffer_;
};

}  // namespace coolspan

#endif  // COOLSPAN_CLI_RENDER_PRINTABLE_STREAM_H_
