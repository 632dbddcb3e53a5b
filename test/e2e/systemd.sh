# Becomes a systemd that knows the units of this project alone, as process 1 of namespaces of its own: bash systemd.sh NAME DIRECTORY CHECKOUT
# It sees the machine's files beneath a layer that is lost with it, and CHECKOUT read-only in /opt/agon. The machine's own systemd,
# if there is one, is not asked. NAME is its cgroup's, DIRECTORY an empty one for the layer.
set -euo pipefail
if [ "${4:-}" != inside ]; then
  # The hierarchy of version 2, which there is also where the machine mounts another. Only there systemd hears that a unit's last process
  # has ended.
  in_cgroups() { unshare --mount bash -euc 'mount -t cgroup2 cgroup "$2"; '"$1" "$0" "${@:2}"; }
  in_cgroups 'mkdir "$2/$1"; echo $$ > "$2/$1/cgroup.procs"; umount "$2"
    exec unshare --mount --pid --fork --ipc --uts --cgroup --kill-child bash "$0" "$1" "$2" "$3" inside' "$@" || true
  in_cgroups 'cd "$2"; find "$1" -depth -type d -exec rmdir {} +' "$@"
  exit
fi
layer=$2
root=$layer/root
mount --make-rprivate /
mount -t tmpfs tmpfs "$layer"
mkdir "$layer/upper" "$layer/work" "$root"
mount -t overlay -o "lowerdir=/,upperdir=$layer/upper,workdir=$layer/work" overlay "$root"
mkdir -p "$root/opt/agon"
mount --bind "$3" "$root/opt/agon"
mount -o remount,bind,ro "$root/opt/agon"
mount -t proc proc "$root/proc"
mount -t tmpfs -o mode=755 tmpfs "$root/run"
mount -t tmpfs -o mode=1777 tmpfs "$root/tmp"
mount --rbind /dev "$root/dev"
mount -t sysfs -o ro sysfs "$root/sys"
mount -t cgroup2 cgroup "$root/sys/fs/cgroup"

units=$root/run/units
mkdir "$units"
# The targets that every unit wants, with nothing in them.
for target in basic sysinit shutdown umount final agon-test; do printf '[Unit]\nDefaultDependencies=no\n' > "$units/$target.target"; done
for unit in "$3"/deploy/systemd/*; do
  cp "$unit" "$units"
  name=$(basename "$unit")
  mkdir "$units/$name.d"
  # No journal runs here.
  if [ "${name##*.}" = service ]; then printf '[Service]\nStandardOutput=append:/run/%s.log\nStandardError=inherit\n' "$name" > "$units/$name.d/log.conf"; fi
done
chroot "$root" useradd --system --home-dir /var/lib/agon agon
rm -rf "$root/etc/agon" "$root/var/lib/agon" "$root/var/lib/private"
mkdir -m 700 "$root/etc/agon"

cd "$root"
pivot_root . mnt
cd /
umount -l /mnt
exec env -i container=agon-test PATH=/usr/sbin:/usr/bin:/sbin:/bin SYSTEMD_UNIT_PATH=/run/units AGON_TEST_RUN="${AGON_TEST_RUN:-}" \
  /lib/systemd/systemd --system --unit=agon-test.target --log-target=console --show-status=no \
  systemd.unified_cgroup_hierarchy=1
