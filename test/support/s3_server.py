# Swift in one process, for S3Server.ts: the proxy with its s3api and one account, container and object server, each on
# a loopback port of the kernel's choice. One process, because four of them each spend a second of CPU on importing.
# Arguments: an empty directory, the port of a memcached, an access key "account:user", its secret. Prints the
# endpoint once it answers, and ends when its input closes.
import os
import sys

import eventlet

eventlet.monkey_patch()

from eventlet import tpool, wsgi  # noqa: E402
from swift.common import storage_policy, utils  # noqa: E402
from swift.common.http_protocol import SwiftHttpProtocol  # noqa: E402
from swift.common.ring import RingBuilder  # noqa: E402
from swift.common.wsgi import loadapp  # noqa: E402

BACKENDS = ("account", "container", "object")


def write(directory, name, **sections):
    path = os.path.join(directory, name)
    with open(path, "w") as file:
        for section, values in sections.items():
            file.write("[%s]\n" % section.replace("__", ":"))
            file.writelines("%s = %s\n" % pair for pair in values.items())
    return path


def storage(directory, name, port):
    """One replica on one device; a part power of 2 keeps the directory small."""
    builder = RingBuilder(2, 1, 1)
    builder.add_dev({"region": 1, "zone": 1, "ip": "127.0.0.1", "port": port, "device": "d1", "weight": 1,
                     "replication_ip": "127.0.0.1", "replication_port": port})
    builder.rebalance()
    builder.get_ring().save("%s/%s.ring.gz" % (directory, name))
    return write(directory, name + ".conf", **{
        "DEFAULT": {"swift_dir": directory, "devices": directory + "/devices", "mount_check": "false",
                    "fallocate_reserve": 0, "bind_ip": "127.0.0.1", "bind_port": port},
        "pipeline__main": {"pipeline": name + "-server"},
        "app__%s-server" % name: {"use": "egg:swift#" + name}})


def proxy(directory, port, memcached_port, access_key, secret):
    filters = {"filter__" + name: {"use": "egg:swift#" + name} for name in ("catch_errors", "copy", "slo", "dlo")}
    user = "user_" + access_key.replace(":", "_")
    return write(directory, "proxy.conf", **filters, **{
        "DEFAULT": {"swift_dir": directory, "bind_ip": "127.0.0.1", "bind_port": port},
        "pipeline__main": {"pipeline": "catch_errors cache s3api tempauth copy slo dlo proxy-server"},
        "app__proxy-server": {"use": "egg:swift#proxy", "account_autocreate": "true"},
        "filter__cache": {"use": "egg:swift#memcache", "memcache_servers": "127.0.0.1:%s" % memcached_port},
        "filter__s3api": {"use": "egg:swift#s3api", "location": "us-east-1"},
        "filter__tempauth": {"use": "egg:swift#tempauth", user: secret + " .admin"}})


def serve(socket, conf):
    app = loadapp(conf, global_conf={"log_name": "swift"})
    eventlet.spawn(wsgi.server, socket, app, utils.NullLogger(), protocol=SwiftHttpProtocol,
                   capitalize_response_headers=False)


def main(directory, memcached_port, access_key, secret):
    os.makedirs(directory + "/devices/d1")
    write(directory, "swift.conf", **{
        "swift-hash": {"swift_hash_path_suffix": "agon", "swift_hash_path_prefix": "agon"},
        "storage-policy__0": {"name": "Policy-0", "default": "yes"}})
    utils.set_swift_dir(directory)
    storage_policy.reload_storage_policies()
    sockets = {name: eventlet.listen(("127.0.0.1", 0)) for name in (*BACKENDS, "proxy")}
    ports = {name: socket.getsockname()[1] for name, socket in sockets.items()}
    confs = [(sockets[name], storage(directory, name, ports[name])) for name in BACKENDS]
    confs.append((sockets["proxy"], proxy(directory, ports["proxy"], memcached_port, access_key, secret)))
    for socket, conf in confs:
        serve(socket, conf)
    print("http://127.0.0.1:%d" % ports["proxy"], flush=True)
    tpool.execute(sys.stdin.read)


main(*sys.argv[1:])
