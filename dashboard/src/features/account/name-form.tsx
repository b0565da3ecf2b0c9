import { Button, Group, TextInput } from '@mantine/core';
import { useState } from 'react';
import { meRename } from '../../client/sdk.gen';
import { ProblemAlert } from '../../shared/problem-alert';
import { useAct } from '../../shared/use-act';
import { t } from '../../i18n/i18n';

export function NameForm({ name: saved }: { name: string }) {
  const [name, setName] = useState(saved);
  const act = useAct({
    run: async () => (await meRename({ body: { name } })).data,
    done: t('account.saved'),
    refreshes: ['meMe', 'authSession', 'memberList'],
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        act.run(undefined);
      }}
    >
      <Group align="end" gap="sm">
        <TextInput
          label={t('signUp.name')}
          description={t('signUp.nameHint')}
          autoComplete="name"
          required
          w={420}
          maw="100%"
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          error={act.fields['name']}
        />
        <Button type="submit" variant="default" disabled={name.trim() === saved} loading={act.pending}>
          {t('account.save')}
        </Button>
      </Group>
      <ProblemAlert error={act.error} />
    </form>
  );
}
