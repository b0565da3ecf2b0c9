/**
 * The id of a service that visitors can choose (ADR 76): a slug that is neither a category nor one of the hashes that
 * name services in choices made before services had ids.
 */
export const SERVICE_ID =
  /^(?!(?:necessary|analytics|marketing|preferences|[0-9a-f]{8})$)[a-z][a-z0-9-]{0,39}$/;
export const SERVICE_ID_CHARACTERS_MAX = 40;
/** Services of a site, and of a record. */
export const SERVICES_MAX = 100;
