// SPDX-License-Identifier: GPL-3.0-or-later
// write_documents MAN_FOLDER OUTPUT: writes OUTPUT/bash/coolspan,
// OUTPUT/zsh/_coolspan and OUTPUT/man1/coolspan-NAME.1 of each subcommand that
// has no page in MAN_FOLDER. Part of the build.
#include <CLI/CLI.hpp>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>

#include "cli/command_line.h"
#include "documents/completion.h"
#include "documents/man_pages.h"

namespace {

namespace fs = std::filesystem;

bool Write(const fs::path& path, const std::string& text) {
  fs::create_directories(path.parent_path());
  std::ofstream file(path);
  file << text;
  file.close();
  if (!file) std::cerr << "write_documents: cannot write " << path << '\n';
  return !file.fail();
}

int WriteAll(const fs::path& man, const fs::path& output) {
  std::ifstream file(man / "coolspan.1");
  const std::string page{std::istreambuf_iterator<char>(file), {}};
  const coolspan::CommandLine command_line;
  const CLI::App& app = command_line.app();
  bool written =
      Write(output / "bash/coolspan", coolspan::BashCompletion(app)) &&
      Write(output / "zsh/_coolspan", coolspan::ZshCompletion(app));
  fs::remove_all(output / "man1");
  for (const CLI::App* const subcommand :
       app.get_subcommands([](const CLI::App*) { return true; })) {
    const std::string name = "coolspan-" + subcommand->get_name() + ".1";
    if (fs::exists(man / name)) continue;
    const auto text = coolspan::SubcommandPage(*subcommand, page);
    if (!text.ok()) {
      std::cerr << man.string() << "/" << text.status().message() << '\n';
      return 1;
    }
    written = Write(output / "man1" / name, *text) && written;
  }
  return written ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "usage: write_documents MAN_FOLDER OUTPUT\n";
    return 2;
  }
  try {
    return WriteAll(argv[1], argv[2]);
  } catch (const std::exception& failure) {
    std::cerr << "write_documents: " << failure.what() << '\n';
    return 1;
  }
}
