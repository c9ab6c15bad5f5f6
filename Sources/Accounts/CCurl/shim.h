#ifndef MUNIMENT_CCURL_SHIM_H
#define MUNIMENT_CCURL_SHIM_H
#include <curl/curl.h>
#include <netinet/in.h>
#include <sys/socket.h>

// Swift calls no function with a variable number of arguments, and libcurl sets its options with one.
static inline CURLcode muniment_curl_set_long(CURL *handle, CURLoption option, long value) {
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode muniment_curl_set_text(CURL *handle, CURLoption option, const char *value) {
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode muniment_curl_set_pointer(CURL *handle, CURLoption option, void *value) {
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode muniment_curl_set_size(CURL *handle, CURLoption option, curl_off_t value) {
    return curl_easy_setopt(handle, option, value);
}

// What takes or gives bytes: of a body, of a head, of what is sent.
static inline CURLcode muniment_curl_set_callback(
    CURL *handle, CURLoption option, size_t (*callback)(char *, size_t, size_t, void *)) {
    return curl_easy_setopt(handle, option, callback);
}

// Decides about an address before a connection: 4 or 16 bytes in network order. Returns 0 to refuse it.
struct muniment_address_check {
    int (*allows)(void *context, const unsigned char *bytes, size_t count);
    void *context;
};

static inline curl_socket_t muniment_curl_open_socket(void *check, curlsocktype purpose, struct curl_sockaddr *address) {
    struct muniment_address_check *known = (struct muniment_address_check *)check;
    const unsigned char *bytes;
    size_t count;
    (void)purpose;
    if (address->family == AF_INET) {
        bytes = (const unsigned char *)&((struct sockaddr_in *)&address->addr)->sin_addr;
        count = 4;
    } else if (address->family == AF_INET6) {
        bytes = (const unsigned char *)&((struct sockaddr_in6 *)&address->addr)->sin6_addr;
        count = 16;
    } else {
        return CURL_SOCKET_BAD;
    }
    if (!known->allows(known->context, bytes, count)) return CURL_SOCKET_BAD;
    return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

// The check must live as long as the handle.
static inline CURLcode muniment_curl_check_addresses(CURL *handle, struct muniment_address_check *check) {
    CURLcode code = curl_easy_setopt(handle, CURLOPT_OPENSOCKETDATA, check);
    if (code != CURLE_OK) return code;
    return curl_easy_setopt(handle, CURLOPT_OPENSOCKETFUNCTION, muniment_curl_open_socket);
}

// The address of the last connection; empty without one.
static inline const char *muniment_curl_peer(CURL *handle) {
    char *text = NULL;
    curl_easy_getinfo(handle, CURLINFO_PRIMARY_IP, &text);
    return text ? text : "";
}

static inline long muniment_curl_status(CURL *handle) {
    long status = 0;
    curl_easy_getinfo(handle, CURLINFO_RESPONSE_CODE, &status);
    return status;
}

static inline long muniment_curl_request_size(CURL *handle) {
    long size = 0;
    curl_easy_getinfo(handle, CURLINFO_REQUEST_SIZE, &size);
    return size;
}
#endif
