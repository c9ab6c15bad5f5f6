#include <microhttpd.h>

/* A fact about a connection; the library's own function takes further arguments, which Swift cannot give. */
static inline const union MHD_ConnectionInfo *
muniment_connection_info (struct MHD_Connection *connection, enum MHD_ConnectionInfoType type)
{
  return MHD_get_connection_info (connection, type);
}

/* The C library keeps this to programs that ask for GNU extensions before its first header, which Swift does not. */
extern int muniment_accept (int socket, struct sockaddr *address, socklen_t *length, int flags) __asm__ ("accept4");
