import { Text } from '@mantine/core';
import { t } from '../../texts/texts';

/** What stands where the address holds no token: for the person it is a link that has ended. */
export function EndedLink({ shown }: { shown: unknown }) {
  if (!shown) return null;
  return (
    <Text c="var(--mantine-color-error)" role="alert">
      {t.problems.link_ended}
    </Text>
  );
}
