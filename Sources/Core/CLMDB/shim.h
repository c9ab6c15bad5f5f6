#ifndef MUNIMENT_CLMDB_SHIM_H
#define MUNIMENT_CLMDB_SHIM_H
#include <lmdb.h>
#endif
