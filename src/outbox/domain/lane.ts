/** Where the version stands in a UUID's text. */
const VERSION_AT = 14;
/** UUIDs "for custom use" (RFC 9562 §5.8). Projects are version 7, so no lane is ever another project's id. */
const LANE_VERSION = '8';

/**
 * The place in the outbox of what a project publishes, beside that of its consent records. The outbox keeps
 * order and fairness by `project_id`: in the project's own place, a new tier would wait behind a million
 * records for a receiver that hangs, and a storage that hangs would slow the project's forwarding down.
 */
export function publishingLane(projectId: string): string {
  return projectId.slice(0, VERSION_AT) + LANE_VERSION + projectId.slice(VERSION_AT + 1);
}
