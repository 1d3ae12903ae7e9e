#!/bin/sh
# An agent of about 1 MB that starts in a few ms, for a hundred at once: initialize, session/new, and {} to all else.
while IFS= read -r line; do
  id=${line#*\"id\":}
  id=${id%%[,\}]*}
  case $line in
    *'"initialize"'*) result='{"protocolVersion":1,"agentCapabilities":{"loadSession":true},"authMethods":[]}' ;;
    *'"session/new"'*) result='{"sessionId":"sess_1"}' ;;
    *'"id":'*) result='{}' ;;
    *) continue ;;
  esac
  printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$result"
done
