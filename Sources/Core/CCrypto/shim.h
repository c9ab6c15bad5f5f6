#ifndef MUNIMENT_CCRYPTO_SHIM_H
#define MUNIMENT_CCRYPTO_SHIM_H
/* SHA256_Init and its relatives are deprecated, but EVP allocates a context and looks up the algorithm for each digest: 4,600 instructions. */
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>
#include <openssl/sha.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>
#endif
