#ifndef MUNIMENT_CCRYPTO_SHIM_H
#define MUNIMENT_CCRYPTO_SHIM_H
#include <openssl/evp.h>
#include <openssl/sha.h>
#endif
