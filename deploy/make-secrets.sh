#!/bin/sh
# Makes the secrets that docker-compose.yml mounts, one file each, in ./secrets or in the folder of its argument
# (SECRETS_DIR of a cell); those that are there stay.
# The folder is closed to everybody else on this host. The files in it are readable, because the containers' users,
# who are not this host's, get them one by one.
set -eu
cd "$(dirname "$0")/.."
umask 077
folder=${1:-secrets}
mkdir -p "$folder"
chmod 700 "$folder"

random() { openssl rand -hex 32; }
keep() {
  [ -s "$folder/$1" ] || printf '%s\n' "$2" > "$folder/$1"
  chmod 444 "$folder/$1"
}

keep postgres_password "$(random)"
keep postgres_owner_password "$(random)"
keep postgres_runtime_password "$(random)"
keep postgres_scanner_password "$(random)"
keep redis_password "$(random)"
keep auth_secret "$(random)"
keep secret_keys "k1:$(openssl rand -base64 32)"
keep evidence_keys "e1:$(openssl rand -base64 32)"
keep database_owner_url "postgres://service_owner:$(cat "$folder"/postgres_owner_password)@postgres:5432/service"
keep database_url "postgres://service_runtime:$(cat "$folder"/postgres_runtime_password)@postgres:5432/service"
keep scanner_database_url "postgres://service_scanner:$(cat "$folder"/postgres_scanner_password)@postgres:5432/service"
keep redis_url "redis://:$(cat "$folder"/redis_password)@redis:6379"
# A doorbell and no store: PostgreSQL holds the backlog, so nothing has to survive here. Keys must not be evicted,
# though, or BullMQ loses its schedules until the worker makes them anew.
keep redis.conf "save \"\"
appendonly no
maxmemory-policy noeviction
requirepass $(cat "$folder"/redis_password)"
echo "The secrets are in ./$folder."
echo 'Keep copies of secret_keys, auth_secret and evidence_keys apart from the backups of'
echo 'the database: with both, bearer tokens can be decrypted. Without secret_keys, they are lost.'
