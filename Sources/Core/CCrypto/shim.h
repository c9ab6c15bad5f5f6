#ifndef MUNIMENT_CCRYPTO_SHIM_H
#define MUNIMENT_CCRYPTO_SHIM_H
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>
#include <openssl/sha.h>
#include <openssl/x509.h>
#endif
