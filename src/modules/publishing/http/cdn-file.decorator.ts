import { applyDecorators, Get } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiResponse } from '@nestjs/swagger';
import { Public } from '../../../platform/http/public.decorator.js';
import { SITE_DOCUMENT_EXAMPLE } from './publication.dto.js';

/** Every file below `cdn/:projectId`. */
export const CDN_FILES = [
  'loader.js',
  'blocker.js',
  'declaration.js',
  'declaration.html',
  'banner-:hash.js',
  'signals-:hash.js',
  'logo-:hash.png',
  'config.json',
] as const;

const SCRIPT = {
  description: 'JavaScript',
  content: { 'text/javascript': { schema: { type: 'string' } } },
};
/** The response of a file, by its ending. */
const RESPONSES = {
  js: SCRIPT,
  html: { description: 'HTML', content: { 'text/html': { schema: { type: 'string' } } } },
  png: { description: 'PNG', content: { 'image/png': { schema: { type: 'string', format: 'binary' } } } },
  json: {
    description: 'See docs/publishing.md',
    content: {
      'application/json': {
        schema: { type: 'object', additionalProperties: true },
        example: SITE_DOCUMENT_EXAMPLE,
      },
    },
  },
};

/** A public GET of a file of the CDN: 200 with an ETag, or 304. */
export function CdnFile(path: (typeof CDN_FILES)[number], summary: string): MethodDecorator {
  const ending = path.slice(path.lastIndexOf('.') + 1) as keyof typeof RESPONSES;
  return applyDecorators(
    Get(path),
    Public(),
    ApiOperation({ summary }),
    ...(path.includes(':hash') ? [ApiParam({ name: 'hash' })] : []),
    ApiOkResponse(RESPONSES[ending]),
    ApiResponse({ status: 304, description: 'Not modified' }),
  );
}
