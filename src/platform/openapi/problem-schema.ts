import { DOMAIN_ERROR_STATUS } from '../errors/domain-error.js';
import { FIELD_CODES } from '../errors/field-problem.js';

/** Codes of errors created outside the domain. */
const OTHER_CODES = ['internal_error', 'request_timeout', 'expectation_failed', 'headers_too_large'];

/** The schema of problem responses (RFC 9457). */
export const PROBLEM_SCHEMA = {
  type: 'object',
  description:
    'Problem details (RFC 9457). `code` is stable; `detail` is for people. Some codes have more members.',
  required: ['type', 'title', 'status', 'detail', 'code'],
  properties: {
    type: { type: 'string' },
    title: { type: 'string' },
    status: { type: 'integer' },
    detail: { type: 'string' },
    instance: { type: 'string', description: 'Path of the request' },
    code: { type: 'string', enum: [...Object.keys(DOMAIN_ERROR_STATUS), ...OTHER_CODES] },
    errors: {
      type: 'array',
      description: 'The invalid fields (422)',
      items: {
        type: 'object',
        required: ['field', 'message'],
        properties: {
          field: { type: 'string' },
          message: { type: 'string' },
          code: {
            type: 'string',
            enum: [...FIELD_CODES],
            description: 'Code of the error, for your own messages; absent if only the message is available',
          },
          min: { type: 'number', description: 'Lower limit' },
          max: { type: 'number', description: 'Upper limit' },
        },
      },
    },
  },
  additionalProperties: true,
  example: {
    type: 'about:blank',
    title: 'Not Found',
    status: 404,
    detail: 'Project not found. Check the project id in the URL.',
    instance: '/v1/projects/01938c5e-7a3b-7c11-9f00-2b5e8d3c4a1f/tier',
    code: 'project_not_found',
  },
};
