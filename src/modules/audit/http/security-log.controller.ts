import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentActor, SignedIn, SessionOnly } from '../../access/access.decorators.js';
import { type Actor, requireUser } from '../../access/domain/actor.js';
import { toPage } from '../../../platform/export/page.js';
import { PageQuery, rowsOf } from '../../../platform/http/page-query.js';
import { AuditReader } from '../application/audit-reader.js';
import { SecurityLogPageResponse } from './audit.dto.js';

@ApiTags('Sign-in')
@Controller('v1/me/security-log')
export class SecurityLogController {
  constructor(private readonly audit: AuditReader) {}

  /** Sign-ins, failed ones, and changes to the account; newest first, kept 12 months. */
  @SignedIn()
  @SessionOnly()
  @ApiOperation({ summary: 'List the security events of your account' })
  @ApiOkResponse({ type: SecurityLogPageResponse })
  @Get()
  async list(@CurrentActor() actor: Actor, @Query() query: PageQuery): Promise<SecurityLogPageResponse> {
    const events = await this.audit.securityLog(requireUser(actor).userId, rowsOf(query));
    return toPage(
      events,
      query.limit,
      (event) => event.id,
      (event) => event,
    );
  }
}
