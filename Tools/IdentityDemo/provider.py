"""The OpenID provider of Tools/identity-demo: lets everybody in as whoever they say they are. Prints its port."""
import logging, os, threading, warnings

warnings.simplefilter("ignore")
os.environ["AUTHLIB_INSECURE_TRANSPORT"] = "1"
import oidc_provider_mock as mock

logging.disable()
# Ann has not been asked for her password here for years, so that a sensitive change asks who she is without a wait for that to be so.
users = [
    mock.User(sub=name, claims={"email": f"{name}@example.com", "email_verified": True, "name": f"{name.title()} Example", **more})
    for name, more in (("ann", {"auth_time": 1_700_000_000}), ("bob", {}))
]
with mock.run_server_in_thread(require_nonce=True, user_claims=users) as server:
    print(server.server_port, flush=True)
    threading.Event().wait()
