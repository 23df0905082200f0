// SPDX-License-Identifier: GPL-3.0-or-later
#include "tls/certificates.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "absl/time/clock.h"
#include "unit/state/scratch_folder.h"
#include "unit/tls/test_authority.h"

namespace coolspan {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class CertificatesTest : public ::testing::Test {
 protected:
  std::string Problem(const CertificateFiles& files) const {
    return std::string(CheckCertificates(files).message());
  }
  std::string Write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_.File(name)) << text;
    return folder_.File(name);
  }

  ScratchFolder folder_;
  TestAuthority authority_{folder_.File(""), "ca"};
  TestAuthority other_{folder_.File(""), "other-ca"};
};

TEST_F(CertificatesTest, GoodFilesAreAccepted) {
  const CertificateFiles files = authority_.Issue("host");
  EXPECT_EQ(Problem(files), "");
  EXPECT_EQ(WhyRefused(files, absl::Now()), "");
  EXPECT_TRUE(CertificateFiles().is_empty());
  EXPECT_FALSE(files.is_empty());
}

TEST_F(CertificatesTest, BadFilesAreNamed) {
  const CertificateFiles good = authority_.Issue("host");
  CertificateFiles files = good;
  files.cert = folder_.File("missing.crt");
  EXPECT_THAT(Problem(files),
              StartsWith(files.cert + ": No such file or directory"));
  files.cert = Write("empty.crt", "");
  EXPECT_THAT(Problem(files), StartsWith(files.cert + ": no certificate"));
  files = good;
  files.key = good.cert;
  EXPECT_THAT(Problem(files), StartsWith(files.key + ": no private key"));
  files.key = authority_.Issue("another").key;
  EXPECT_THAT(Problem(files),
              StartsWith(files.key + ": not the key of " + good.cert));
  files = good;
  files.ca = Write("broken.crt",
                   "-----BEGIN CERTIFICATE-----\nAAAA\n"
                   "-----END CERTIFICATE-----\n");
  EXPECT_THAT(Problem(files), StartsWith(files.ca + ": no certificate"));
  files.ca.clear();
  EXPECT_THAT(Problem(files), StartsWith("the file of authorities is missing"));
}

TEST_F(CertificatesTest, ReasonsOfRefusalAreKnown) {
  const CertificateFiles expired = authority_.Issue("old", -60);
  EXPECT_THAT(WhyRefused(expired, absl::Now()),
              StartsWith(expired.cert + " expired on 20"));
  const CertificateFiles early = authority_.Issue("early");
  EXPECT_THAT(WhyRefused(early, absl::Now() - absl::Hours(24)),
              HasSubstr(" is valid from 20"));
  EXPECT_EQ(WhyNotValid(early, absl::Now()), "");
  CertificateFiles foreign = authority_.Issue("foreign");
  foreign.ca = other_.ca();
  EXPECT_THAT(WhyRefused(foreign, absl::Now()),
              EndsWith("is not signed by an authority in " + other_.ca()));
  EXPECT_EQ(WhyNotValid(foreign, absl::Now()), "");
}

}  // namespace
}  // namespace coolspan
