// SPDX-License-Identifier: GPL-3.0-or-later
#include "tls/certificates.h"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <openssl/x509_vfy.h>

#include <cerrno>
#include <cstdio>
#include <ctime>
#include <memory>
#include <system_error>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"

namespace coolspan {
namespace {

template <auto Free>
struct Freed {
  template <typename T>
  void operator()(T* object) const {
    Free(object);
  }
};
using Certificate = std::unique_ptr<X509, Freed<&X509_free>>;
using Key = std::unique_ptr<EVP_PKEY, Freed<&EVP_PKEY_free>>;
using Input = std::unique_ptr<BIO, Freed<&BIO_free_all>>;
using Authorities = std::unique_ptr<X509_STORE, Freed<&X509_STORE_free>>;
using Verification =
    std::unique_ptr<X509_STORE_CTX, Freed<&X509_STORE_CTX_free>>;

absl::Status Invalid(const std::string& path, const std::string& what) {
  return absl::InvalidArgumentError(absl::StrCat(path, ": ", what));
}

absl::StatusOr<Input> Open(const std::string& path,
                           const std::string& expected) {
  errno = 0;
  Input input(BIO_new_file(path.c_str(), "r"));
  const int error = errno;
  ERR_clear_error();
  if (input != nullptr) return input;
  return Invalid(path, absl::StrCat(std::generic_category().message(error),
                                    " (expected ", expected, ")"));
}

// All certificates of a file, at least one.
absl::StatusOr<std::vector<Certificate>> ReadCertificates(
    const std::string& path) {
  constexpr const char* kExpected = "a PEM file with certificates";
  auto input = Open(path, kExpected);
  if (!input.ok()) return input.status();
  std::vector<Certificate> certificates;
  while (X509* const next =
             PEM_read_bio_X509(input->get(), nullptr, nullptr, nullptr)) {
    certificates.emplace_back(next);
  }
  const int reason = ERR_GET_REASON(ERR_peek_last_error());
  ERR_clear_error();
  if (!certificates.empty() && reason == PEM_R_NO_START_LINE)
    return certificates;
  return Invalid(path,
                 absl::StrCat(certificates.empty() ? "no certificate"
                                                   : "an invalid certificate",
                              " (expected ", kExpected, ")"));
}

// A passphrase would be asked for at the terminal.
int NoPassphrase(char*, int, int, void*) { return -1; }

absl::StatusOr<Key> ReadKey(const std::string& path) {
  constexpr const char* kExpected = "a PEM file with an unencrypted key";
  auto input = Open(path, kExpected);
  if (!input.ok()) return input.status();
  Key key(
      PEM_read_bio_PrivateKey(input->get(), nullptr, &NoPassphrase, nullptr));
  ERR_clear_error();
  if (key != nullptr) return key;
  return Invalid(path,
                 absl::StrCat("no private key (expected ", kExpected, ")"));
}

absl::Time TimeOf(const ASN1_TIME* time) {
  std::tm utc{};
  if (ASN1_TIME_to_tm(time, &utc) != 1) return absl::InfiniteFuture();
  return absl::FromTM(utc, absl::UTCTimeZone());
}

std::string DateOf(const ASN1_TIME* time) {
  return absl::FormatTime("%Y-%m-%d %H:%M UTC", TimeOf(time),
                          absl::UTCTimeZone());
}

bool IsSignedBy(const std::vector<Certificate>& chain,
                const std::vector<Certificate>& authorities) {
  const Authorities trusted(X509_STORE_new());
  for (const Certificate& authority : authorities)
    X509_STORE_add_cert(trusted.get(), authority.get());
  const std::unique_ptr<STACK_OF(X509), void (*)(STACK_OF(X509)*)> others(
      sk_X509_new_null(), [](STACK_OF(X509) * stack) { sk_X509_free(stack); });
  for (std::size_t i = 1; i < chain.size(); ++i)
    sk_X509_push(others.get(), chain[i].get());
  const Verification verification(X509_STORE_CTX_new());
  if (X509_STORE_CTX_init(verification.get(), trusted.get(), chain[0].get(),
                          others.get()) != 1) {
    return true;
  }
  // Dates are another reason.
  X509_VERIFY_PARAM_set_flags(X509_STORE_CTX_get0_param(verification.get()),
                              X509_V_FLAG_NO_CHECK_TIME);
  const bool is_signed = X509_verify_cert(verification.get()) == 1;
  ERR_clear_error();
  return is_signed;
}

}  // namespace

absl::Status CheckCertificates(const CertificateFiles& files) {
  if (files.cert.empty() || files.key.empty() || files.ca.empty()) {
    return absl::InvalidArgumentError(absl::StrCat(
        files.cert.empty()  ? "the certificate"
        : files.key.empty() ? "the private key"
                            : "the file of authorities",
        " is missing (expected a certificate, its private key and the "
        "certificates of authorities)"));
  }
  const auto chain = ReadCertificates(files.cert);
  if (!chain.ok()) return chain.status();
  const auto key = ReadKey(files.key);
  if (!key.ok()) return key.status();
  const bool is_its_key =
      X509_check_private_key(chain->front().get(), key->get()) == 1;
  ERR_clear_error();
  if (!is_its_key) {
    return Invalid(files.key, absl::StrCat("not the key of ", files.cert,
                                           " (expected its private key)"));
  }
  return CheckAuthorities(files.ca);
}

absl::Status CheckAuthorities(const std::string& ca) {
  return ReadCertificates(ca).status();
}

std::string WhyNotValid(const CertificateFiles& files, absl::Time now) {
  const auto chain = ReadCertificates(files.cert);
  if (!chain.ok()) return "";
  for (const Certificate& certificate : *chain) {
    const ASN1_TIME* const end = X509_get0_notAfter(certificate.get());
    if (TimeOf(end) < now)
      return absl::StrCat(files.cert, " expired on ", DateOf(end));
    const ASN1_TIME* const begin = X509_get0_notBefore(certificate.get());
    if (TimeOf(begin) > now)
      return absl::StrCat(files.cert, " is valid from ", DateOf(begin));
  }
  return "";
}

std::string WhyRefused(const CertificateFiles& files, absl::Time now) {
  std::string reason = WhyNotValid(files, now);
  if (!reason.empty()) return reason;
  const auto chain = ReadCertificates(files.cert);
  const auto authorities = ReadCertificates(files.ca);
  if (!chain.ok() || !authorities.ok() || IsSignedBy(*chain, *authorities))
    return "";
  return absl::StrCat(files.cert, " is not signed by an authority in ",
                      files.ca);
}

}  // namespace coolspan
