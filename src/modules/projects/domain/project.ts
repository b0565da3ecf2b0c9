import { DomainError } from '../../../platform/errors/domain-error.js';

/** A customer's website or group of websites; other tables refer to its id. */
export interface Project {
  id: string;
  name: string;
  /** Host names that may send consents; empty: any origin. */
  domains: string[];
  /** Name of the controller of the project's records; null: not given. */
  controllerName: string | null;
  controllerContact: string | null;
  /** null: it belongs to no organization. */
  organizationId: string | null;
  /** Cached effective tier without hostname; valid until `tierValidUntil` (null: until a write). */
  tier: string;
  tierReason: string;
  tierValidUntil: Date | null;
  createdAt: Date;
}

/** The controller of a project's records (GDPR Art. 4(7)), for receipts and the banner; null: not given. */
export interface DataController {
  name: string | null;
  /** An e-mail address, a web page or a postal address. */
  contact: string | null;
}

/** For programs, which take the id from the address of a request. */
export function unknownProject(): DomainError {
  return new DomainError('project_not_found', 'Project not found. Check the project id in the URL.');
}
