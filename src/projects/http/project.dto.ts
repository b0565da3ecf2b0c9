import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsArray } from 'class-validator';
import { type Role, ROLES } from '../../access/domain/role.js';
import type { Project } from '../domain/project.js';
import { IfGiven } from '../../shared/if-given.decorator.js';
import { TextLine } from '../../shared/text.decorator.js';

const PROJECT_NAME_CHARACTERS_MAX = 120;

const DOMAINS = {
  type: [String] as [typeof String],
  description:
    'Host names that may send consents, at most 100; none: any may. Kept in lower case and punycode.',
  example: ['www.example.com'],
};

export class CreateProjectBody {
  @ApiProperty({ minLength: 1, maxLength: PROJECT_NAME_CHARACTERS_MAX })
  @TextLine({ min: 1, max: PROJECT_NAME_CHARACTERS_MAX })
  name!: string;

  /** Checked one by one in the projects module, which names the refused ones by their index. */
  @ApiPropertyOptional({ ...DOMAINS, default: [] })
  @IfGiven()
  @IsArray()
  domains?: unknown[];
}

export class UpdateProjectBody {
  @ApiPropertyOptional({ minLength: 1, maxLength: PROJECT_NAME_CHARACTERS_MAX })
  @IfGiven()
  @TextLine({ min: 1, max: PROJECT_NAME_CHARACTERS_MAX })
  name?: string;

  @ApiPropertyOptional(DOMAINS)
  @IfGiven()
  @IsArray()
  domains?: unknown[];
}

export class ProjectDto {
  @ApiProperty({ format: 'uuid' })
  id!: string;

  @ApiProperty()
  name!: string;

  @ApiProperty({ type: [String] })
  domains!: string[];

  @ApiProperty({ enum: ['lite', 'pro', 'business', 'enterprise'] })
  tier!: string;

  @ApiProperty({ enum: ROLES, description: 'What the caller is here' })
  role!: Role;

  @ApiProperty({ type: String, nullable: true, description: 'Why the last failed delivery failed.' })
  lastFailureReason!: string | null;

  @ApiProperty({ format: 'date-time' })
  createdAt!: Date;

  /**
   * What a caller of this role sees of a project. Where the cached tier has run out and the sweeper has not come by
   * yet, it is `lite`: what is shown is never more than what is entitled (design §6.2).
   */
  static of(project: Project, role: Role, now: Date): ProjectDto {
    const { id, name, domains, tierValidUntil, lastFailure, createdAt } = project;
    const tier = tierValidUntil && tierValidUntil <= now ? 'lite' : project.tier;
    return { id, name, domains, tier, role, lastFailureReason: lastFailure?.reason ?? null, createdAt };
  }
}

export class ProjectPageDto {
  @ApiProperty({ type: [ProjectDto] })
  items!: ProjectDto[];

  @ApiProperty({ type: String, nullable: true })
  nextCursor!: string | null;
}
