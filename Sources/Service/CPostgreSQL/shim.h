#ifndef MUNIMENT_CPOSTGRESQL_SHIM_H
#define MUNIMENT_CPOSTGRESQL_SHIM_H
#include <libpq-fe.h>
#endif
