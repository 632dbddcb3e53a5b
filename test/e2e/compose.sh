# Runs a program where the services of deploy/compose.yml have their names and ports: bash compose.sh CHECKOUT DIRECTORY PROGRAM…
# In namespaces of its own (mounts, network, processes): each service has an address of the file's subnet, all on one loopback device,
# so the ports are the file's own and nobody outside is reached. CHECKOUT lies in /opt/agon, read-only, as in the image. DIRECTORY is
# an empty one; all that is written lies there.
set -euo pipefail
if [ "${INSIDE:-}" != yes ]; then
  INSIDE=yes exec unshare --mount --net --pid --fork --kill-child bash "$0" "$@"
fi
checkout=$1
directory=$2
shift 2
mount --make-rprivate /
mount -t proc proc /proc
ip link set lo up
printf '127.0.0.1 localhost\n' > "$directory/hosts"
n=2
for name in service site runner postgres objects nginx; do
  ip address add "172.30.0.$n/24" dev lo
  printf '172.30.0.%s %s\n' "$n" "$name" >> "$directory/hosts"
  n=$((n + 1))
done
printf '172.30.0.7 agon.example\n' >> "$directory/hosts"
mount --bind "$directory/hosts" /etc/hosts

chmod 755 "$directory"
mkdir -p "$directory/opt/agon" "$directory/lib/nginx" "$directory/cache" "$directory/log/nginx"
mount --bind "$checkout" "$directory/opt/agon"
mount -o remount,bind,ro "$directory/opt/agon"
mount --rbind "$directory/opt" /opt
mount --bind "$directory/lib" /var/lib
mount --bind "$directory/cache" /var/cache
mount --bind "$directory/log" /var/log
mkdir -m 700 /var/lib/agon /var/cache/agon-runner
chown 12345:12345 /var/lib/agon /var/cache/agon-runner

# nginx has its own main file and none of the machine's sites and modules.
mkdir -p "$directory/nginx/conf.d" "$directory/nginx/agon"
cp /etc/nginx/nginx.conf /etc/nginx/mime.types "$directory/nginx"
mount --bind "$directory/nginx" /etc/nginx
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 1 -subj /CN=agon.example \
  -addext subjectAltName=DNS:agon.example -keyout /etc/nginx/agon/privkey.pem -out /etc/nginx/agon/fullchain.pem 2> /dev/null
NODE_EXTRA_CA_CERTS=/etc/nginx/agon/fullchain.pem exec "$@" "$directory"
