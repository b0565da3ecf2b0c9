import { Button, Checkbox } from '@mantine/core';
import { useState } from 'react';
import type { ProjectDto } from '../../client/types.gen';
import type { AccessDenial } from '../../shared/access';
import type { Zone } from '../../shared/time';
import { t } from '../../i18n/i18n';
import type { ConsentFilters } from './filters';
import { consentQuery } from './queries';

/** Downloads exactly the filtered records. */
export function ExportButtons({
  project,
  filters,
  zone,
  refusal,
}: {
  project: ProjectDto;
  filters: ConsentFilters;
  zone: Zone;
  refusal: AccessDenial;
}) {
  const [proofs, setProofs] = useState(false);
  // Exports contain records only and cannot filter by delivery state.
  const { delivery, ...exported } = filters;
  const isAvailable = refusal === null && !delivery;
  const exportUrl = (format: 'csv' | 'pdf') => {
    const query = { format, ...consentQuery(exported, zone), ...(proofs && format === 'csv' && { proofs }) };
    const texts = Object.entries(query).map(([name, value]) => [name, String(value)]);
    return `/v1/projects/${project.id}/consents/export?${new URLSearchParams(texts)}`;
  };
  return (
    <>
      <Checkbox
        label={t('consents.withProofs')}
        title={t('consents.withProofsHint')}
        disabled={!isAvailable}
        checked={proofs}
        onChange={(event) => setProofs(event.currentTarget.checked)}
      />
      {(['csv', 'pdf'] as const).map((format) =>
        isAvailable ? (
          <Button key={format} variant="default" component="a" href={exportUrl(format)} download>
            {t('consents.export', { format: format.toUpperCase() })}
          </Button>
        ) : (
          <Button key={format} variant="default" disabled>
            {t('consents.export', { format: format.toUpperCase() })}
          </Button>
        ),
      )}
    </>
  );
}
