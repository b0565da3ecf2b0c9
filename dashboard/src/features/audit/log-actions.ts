import { AUDIT_ACTIONS } from './filters';

/** The actions in the log of an organization; those of a project are the others, and what happens to a whole project. */
export const ORGANIZATION_ACTIONS = AUDIT_ACTIONS.filter(
  (action) => action.startsWith('organization') || /^project\.(create|move|delete)$/.test(action),
);
export const PROJECT_ACTIONS = AUDIT_ACTIONS.filter((action) => !action.startsWith('organization'));
