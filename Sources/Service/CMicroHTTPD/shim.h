#include <malloc.h>
#include <microhttpd.h>
/* The C library's module for Swift does not have it. */
#include <sys/epoll.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>

/* A fact about a connection; the library's own function takes further arguments, which Swift cannot give. */
static inline const union MHD_ConnectionInfo *
muniment_connection_info (struct MHD_Connection *connection, enum MHD_ConnectionInfoType type)
{
  return MHD_get_connection_info (connection, type);
}

/* How many connections a server has; the library's own function takes further arguments, which Swift cannot give. */
static inline unsigned int
muniment_connection_count (struct MHD_Daemon *daemon)
{
  const union MHD_DaemonInfo *info = MHD_get_daemon_info (daemon, MHD_DAEMON_INFO_CURRENT_CONNECTIONS);
  return info == NULL ? 0 : info->num_connections;
}

/* Ends a response with its connection instead of a chunk; the library's own function takes further arguments, which Swift cannot give. */
static inline void
muniment_omit_chunks (struct MHD_Response *response)
{
  (void) MHD_set_response_options (response, MHD_RF_HTTP_1_0_COMPATIBLE_STRICT, MHD_RO_END);
}

/* The C library keeps this to programs that ask for GNU extensions before its first header, which Swift does not. */
extern int muniment_accept (int socket, struct sockaddr *address, socklen_t *length, int flags) __asm__ ("accept4");

/* How many bytes the peer of a socket has acknowledged, always ascending; 0 if the kernel does not tell. The C library's
   `struct tcp_info` ends before this field of the kernel (`tcpi_bytes_acked`, at this place since Linux 4.1). */
static inline uint64_t
muniment_acknowledged_bytes (int socket)
{
  unsigned char info[128] = { 0 };
  socklen_t length = sizeof info;
  uint64_t count;
  if (getsockopt (socket, IPPROTO_TCP, TCP_INFO, info, &length) != 0)
    return 0;
  memcpy (&count, info + 120, sizeof count);
  return count;
}
