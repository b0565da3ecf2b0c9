#!/bin/sh
# Makes the service's roles when docker-compose.yml first starts its PostgreSQL. In an installation from before
# there were two roles, run it once by hand:
#   docker compose exec postgres sh /docker-entrypoint-initdb.d/10-roles.sh
set -eu

# The passwords come as files, which neither the process list nor `docker inspect` shows.
read_secret() { tr -d '\n' < "$1"; }
owner_password=$(read_secret "$SERVICE_OWNER_PASSWORD_FILE")
runtime_password=$(read_secret "$SERVICE_RUNTIME_PASSWORD_FILE")
scanner_password=$(read_secret "$SERVICE_SCANNER_PASSWORD_FILE")
for password in "$owner_password" "$runtime_password" "$scanner_password"; do
  case $password in
    '' | *[!A-Za-z0-9_-]*)
      echo 'The passwords of the roles must be letters, digits, - and _.' >&2
      exit 1
      ;;
  esac
done

PGOPTIONS="-c service.owner_password=$owner_password -c service.runtime_password=$runtime_password \
-c service.scanner_password=$scanner_password" \
  psql --no-psqlrc --set ON_ERROR_STOP=1 --quiet \
  --username "$POSTGRES_USER" --dbname "$POSTGRES_DB" --file "${ROLES_FILE:-/service/roles.sql}"
