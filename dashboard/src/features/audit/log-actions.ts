import { AUDIT_ACTIONS } from './filters';

/** The actions in the log of an organization. A project's log has the others, and shares the ones on whole projects. */
export const ORGANIZATION_ACTIONS = AUDIT_ACTIONS.filter(
  (action) => action.startsWith('organization') || /^project\.(create|move|delete)$/.test(action),
);
export const PROJECT_ACTIONS = AUDIT_ACTIONS.filter((action) => !action.startsWith('organization'));
