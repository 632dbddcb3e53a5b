# Sourced by the scripts that become a program: sets `node` to a Node that runs it, or ends the script. The packages bring one for Linux
# with glibc, on x64 and arm64; elsewhere the system's will do from 24.6 on, which tells the processor time of a model's thread.
for node in "$root/node_modules/.bin/node" node; do
  version="$("$node" --version 2> /dev/null || true)"
  if [[ "$version" =~ ^v([0-9]+)\.([0-9]+)\. ]] && ((BASH_REMATCH[1] * 1000 + BASH_REMATCH[2] >= 24006)); then
    # Node forgets that it was started to ignore hangups, as by nohup: a listener has it ignore them again.
    if [ "$(trap -p HUP)" = "trap -- '' SIGHUP" ]; then
      export NODE_OPTIONS="${NODE_OPTIONS:-} --import=data:text/javascript,process.on('SIGHUP',()=>{})"
    fi
    return
  fi
done
echo "scripts/${0##*/} needs Node 24.6 or later and found none for this machine, neither among the packages nor on PATH: install it" >&2
exit 2
