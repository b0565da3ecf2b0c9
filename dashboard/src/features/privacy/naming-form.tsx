import { Button, Stack, Switch, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { queryClient } from '../../api/query-client';
import { ifMatch, tagOf } from '../../api/tags';
import { privacyReadOptions } from '../../client/@tanstack/react-query.gen';
import { privacySave } from '../../client/sdk.gen';
import type { PrivacyStateDto } from '../../client/types.gen';
import { ProblemAlert } from '../../shared/problem-alert';
import { State } from '../../shared/state';
import { useAct } from '../../shared/use-act';
import { t } from '../../i18n/i18n';

/** Which additional field of the records names a visitor, and whether its value is kept. */
export function NamingForm({ projectId, privacy }: { projectId: string; privacy: PrivacyStateDto }) {
  const [field, setField] = useState(privacy.visitorReferenceField ?? '');
  const [hashed, setHashed] = useState(privacy.visitorReferenceHashed);
  const [basedOn, setBasedOn] = useState(() => tagOf(`${projectId}/privacy`));
  const path = { projectId };
  const act = useAct({
    run: async () =>
      (
        await privacySave({
          path,
          headers: ifMatch(basedOn),
          body: { visitorReferenceField: field.trim() || null, visitorReferenceHashed: hashed },
        })
      ).data,
    done: t('shared.saved'),
    refreshes: ['consentList'],
    then: (saved) => {
      setBasedOn(tagOf(`${projectId}/privacy`));
      queryClient.setQueryData(privacyReadOptions({ path }).queryKey, saved);
    },
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        act.run(undefined);
      }}
    >
      <Stack gap="sm" maw={520}>
        <TextInput
          label={t('privacy.field')}
          description={t('privacy.fieldHint')}
          placeholder="customerId"
          autoComplete="off"
          value={field}
          onChange={(event) => setField(event.currentTarget.value)}
          error={act.fields['visitorReferenceField']}
        />
        <Switch
          label={t('privacy.hashed')}
          description={t('privacy.hashedHint')}
          checked={hashed}
          onChange={(event) => setHashed(event.currentTarget.checked)}
        />
        <Text component="div" role="status">
          {privacy.indexing && <State is="waiting">{t('privacy.indexing')}</State>}
        </Text>
        <ProblemAlert error={act.error} />
        <div>
          <Button type="submit" loading={act.pending}>
            {t('shared.save')}
          </Button>
        </div>
      </Stack>
    </form>
  );
}
