// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_TESTS_UNIT_TLS_TEST_AUTHORITY_H_
#define COOLSPAN_TESTS_UNIT_TLS_TEST_AUTHORITY_H_

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <cstdio>
#include <string>

#include "tls/certificates.h"

namespace coolspan {

// A certificate authority that writes certificates into a folder.
class TestAuthority {
 public:
  static constexpr long kYear = 365L * 24 * 3600;

  // Writes FOLDER/NAME.crt.
  TestAuthority(std::string folder, const std::string& name)
      : folder_(std::move(folder)),
        key_(EVP_EC_gen("P-256")),
        certificate_(NewCertificate(name, key_, kYear)) {
    X509_set_issuer_name(certificate_, X509_get_subject_name(certificate_));
    AddExtension(certificate_, NID_basic_constraints, "critical,CA:TRUE");
    X509_sign(certificate_, key_, EVP_sha256());
    Write(certificate_, path(name));
    ca_ = path(name);
  }
  ~TestAuthority() {
    X509_free(certificate_);
    EVP_PKEY_free(key_);
  }
  TestAuthority(const TestAuthority&) = delete;
  TestAuthority& operator=(const TestAuthority&) = delete;

  const std::string& ca() const { return ca_; }

  // Writes FOLDER/NAME.crt, for 127.0.0.1 and the host NAME, and NAME.key; both
  // replace files of the same name. valid_s: from now; negative: expired.
  // names: the subject alternative names instead.
  CertificateFiles Issue(const std::string& name, long valid_s = kYear,
                         const std::string& names = "") const {
    EVP_PKEY* const key = EVP_EC_gen("P-256");
    X509* const certificate = NewCertificate(name, key, valid_s);
    X509_set_issuer_name(certificate, X509_get_subject_name(certificate_));
    AddExtension(certificate, NID_subject_alt_name,
                 names.empty() ? "DNS:" + name + ",IP:127.0.0.1" : names);
    X509_sign(certificate, key_, EVP_sha256());
    Write(certificate, path(name));
    const std::string key_path = folder_ + "/" + name + ".key";
    std::FILE* const file = std::fopen(key_path.c_str(), "w");
    PEM_write_PrivateKey(file, key, nullptr, nullptr, 0, nullptr, nullptr);
    std::fclose(file);
    X509_free(certificate);
    EVP_PKEY_free(key);
    return {path(name), key_path, ca_};
  }

 private:
  std::string path(const std::string& name) const {
    return folder_ + "/" + name + ".crt";
  }

  static X509* NewCertificate(const std::string& name, EVP_PKEY* key,
                              long valid_s) {
    static long serial = 1;
    X509* const certificate = X509_new();
    X509_set_version(certificate, 2);
    ASN1_INTEGER_set(X509_get_serialNumber(certificate), ++serial);
    X509_gmtime_adj(X509_getm_notBefore(certificate), valid_s < 0 ? -kYear : 0);
    X509_gmtime_adj(X509_getm_notAfter(certificate), valid_s);
    X509_set_pubkey(certificate, key);
    X509_NAME_add_entry_by_txt(
        X509_get_subject_name(certificate), "CN", MBSTRING_UTF8,
        reinterpret_cast<const unsigned char*>(name.c_str()), -1, -1, 0);
    return certificate;
  }

  static void AddExtension(X509* certificate, int nid,
                           const std::string& value) {
    X509_EXTENSION* const extension =
        X509V3_EXT_conf_nid(nullptr, nullptr, nid, value.c_str());
    X509_add_ext(certificate, extension, -1);
    X509_EXTENSION_free(extension);
  }

  static void Write(X509* certificate, const std::string& path) {
    std::FILE* const file = std::fopen(path.c_str(), "w");
    PEM_write_X509(file, certificate);
    std::fclose(file);
  }

  const std::string folder_;
  EVP_PKEY* const key_;
  X509* const certificate_;
  std::string ca_;
};

}  // namespace coolspan

#endif  // COOLSPAN_TESTS_UNIT_TLS_TEST_AUTHORITY_H_
