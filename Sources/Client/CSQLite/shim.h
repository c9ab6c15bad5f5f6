#ifndef MUNIMENT_CSQLITE_SHIM_H
#define MUNIMENT_CSQLITE_SHIM_H
#include <sqlite3.h>
#endif
