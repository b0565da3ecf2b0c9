import { NativeSelect, Text } from '@mantine/core';
import { useState } from 'react';
import { t } from '../../../i18n/i18n';
import type { FieldsProps } from '../field-props';
import { addCommonService } from './add-service';
import { COMMON_SERVICES, type CommonService } from './services';

/** Adds a service that is chosen from the list of common ones. */
export function CommonServiceSelect({ form, change }: Pick<FieldsProps, 'form' | 'change'>) {
  const [added, setAdded] = useState<CommonService | null>(null);
  const declared = new Set(form.services.map(({ name }) => name.toLowerCase()));
  const add = (name: string): void => {
    const service = COMMON_SERVICES.find((each) => each.name === name);
    if (!service) return;
    change(addCommonService(form, service));
    setAdded(service);
  };
  return (
    <div>
      <NativeSelect
        label={t('banner.commonServices.label')}
        description={t('banner.commonServices.hint')}
        value=""
        onChange={(event) => add(event.currentTarget.value)}
        data={[
          { value: '', label: t('banner.commonServices.choose') },
          ...COMMON_SERVICES.map(({ name }) => ({
            value: name,
            label: name,
            disabled: declared.has(name.toLowerCase()),
          })),
        ]}
      />
      <Text c="dimmed" aria-live="polite">
        {added &&
          t('banner.commonServices.added', {
            name: added.name,
            cookies: added.cookies.length,
            rules: added.hosts.length,
          })}
      </Text>
    </div>
  );
}
