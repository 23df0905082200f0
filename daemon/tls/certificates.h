// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_TLS_CERTIFICATES_H_
#define COOLSPAN_TLS_CERTIFICATES_H_

#include <string>

#include "absl/status/status.h"
#include "absl/time/time.h"

namespace coolspan {

// The PEM files with which a daemon or a client authenticates itself and the
// other side. All empty: no TLS.
struct CertificateFiles {
  std::string cert;  // its certificate, and those of intermediate authorities
  std::string key;   // the private key of the certificate
  std::string ca;    // certificates of the authorities of the other side

  bool is_empty() const { return cert.empty() && key.empty() && ca.empty(); }
};

// Reads the files. Errors: INVALID_ARGUMENT "FILE: what is wrong (expected
// ...)": a file that cannot be read or has no certificate or key, or a key of
// another certificate.
absl::Status CheckCertificates(const CertificateFiles& files);

// Reads the file of authorities alone. Errors: as CheckCertificates.
absl::Status CheckAuthorities(const std::string& ca);

// "FILE expired on ...", "FILE is valid from ..."; empty: it is valid at that
// time.
std::string WhyNotValid(const CertificateFiles& files, absl::Time now);

// Why the other side may refuse the certificate: WhyNotValid's reasons, or
// "FILE is not signed by an authority in CA", which is a guess: the authorities
// of the two sides may differ. Empty: no reason known.
std::string WhyRefused(const CertificateFiles& files, absl::Time now);

}  // namespace coolspan

#endif  // COOLSPAN_TLS_CERTIFICATES_H_
