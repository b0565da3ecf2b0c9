const MAJOR_MIN = 24;

/** Exits with a sentence if Node is too old: `npm ci` installs the right one. */
export function requireNodeVersion(): void {
  const major = Number(process.versions.node.split('.')[0]);
  if (major >= MAJOR_MIN) return;
  process.stderr.write(
    `This service requires Node ${MAJOR_MIN}, but runs on ${process.versions.node}. "npm ci" installs the right version: ` +
      'run "npm ci" without --ignore-scripts and start with "npm start".\n',
  );
  process.exit(1);
}
