"""The OpenID provider of Tools/identity-demo. Accepts any user name without a password. Prints its port."""
import logging, os, threading, warnings

warnings.simplefilter("ignore")
os.environ["AUTHLIB_INSECURE_TRANSPORT"] = "1"
import oidc_provider_mock as mock

logging.disable()
# The last password entry of Ann at this provider is years ago. A sensitive change can then ask for reauthentication without a wait.
users = [
    mock.User(sub=name, claims={"email": f"{name}@example.com", "email_verified": True, "name": f"{name.title()} Example", **more})
    for name, more in (("ann", {"auth_time": 1_700_000_000}), ("bob", {}))
]
with mock.run_server_in_thread(require_nonce=True, user_claims=users) as server:
    print(server.server_port, flush=True)
    threading.Event().wait()
