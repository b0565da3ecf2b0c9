import { Alert, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import type { OrganizationResponse } from '../../client/types.gen';
import { t } from '../../i18n/i18n';

/** Fields for admins: disabled for others, under one sentence that explains how to get access. */
export function AdminFieldset({
  organization,
  children = null,
}: {
  organization: OrganizationResponse;
  children?: ReactNode;
}) {
  const isAdmin = organization.role === 'admin';
  return (
    <Stack gap="sm">
      {!isAdmin && (
        <Alert variant="outline" color="gray" role="note">
          {t('organizations.needsAdmin')}
        </Alert>
      )}
      <fieldset className="disabled-part" disabled={!isAdmin}>
        {children}
      </fieldset>
    </Stack>
  );
}
