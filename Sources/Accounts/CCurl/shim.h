#ifndef MUNIMENT_CCURL_SHIM_H
#define MUNIMENT_CCURL_SHIM_H
#include <curl/curl.h>

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
