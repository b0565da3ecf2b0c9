import { ApiProperty } from '@nestjs/swagger';
import type { Draft } from '../application/draft.service.js';
import { ConfigurationContentDto } from './configuration-view.dto.js';
import { ConfigurationChangeDto, SiteDocumentDto } from './publication.dto.js';

export class DraftDto implements Draft {
  @ApiProperty({ description: 'Counts the saves and ends of drafts, as in the ETag; 0: there never was one' })
  version!: number;
  @ApiProperty({ type: ConfigurationContentDto, nullable: true, description: 'null: there is none' })
  configuration!: ConfigurationContentDto | null;
  @ApiProperty({
    type: Number,
    nullable: true,
    description: 'The version of the configuration that it began with; null: there is none',
  })
  basedOn!: number | null;
  @ApiProperty({ type: Date, nullable: true }) updatedAt!: Date | null;
}

export class PreviewDto extends SiteDocumentDto {
  @ApiProperty({ description: 'There are region rules, and the tier does not publish them' })
  regionRulesLeftOut!: boolean;
  @ApiProperty({ type: [ConfigurationChangeDto], description: 'What differs from what is saved' })
  changes!: ConfigurationChangeDto[];
}
