import { applyDecorators, SetMetadata } from '@nestjs/common';
import { ApiExtension } from '@nestjs/swagger';
import { ACCESS_EXTENSION } from '../openapi/api-description.js';

/** The metadata of a route's permission. The access guard refuses to serve a route without it. */
export const ACCESS_RULE = Symbol('ACCESS_RULE');

/** The route needs no credential. */
export const Public = (): MethodDecorator & ClassDecorator =>
  applyDecorators(SetMetadata(ACCESS_RULE, { kind: 'public' }), ApiExtension(ACCESS_EXTENSION, 'public'));
