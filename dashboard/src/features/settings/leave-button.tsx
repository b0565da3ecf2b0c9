import { Button } from '@mantine/core';
import { useState } from 'react';
import { ConfirmDialog } from '../../shared/confirm-dialog';
import { useApiMutation } from '../../shared/use-api-mutation';

/** Ends the person's own membership after a confirmation. */
export function LeaveButton(props: { label: string; text: string; leave: () => Promise<unknown> }) {
  const [opened, setOpened] = useState(false);
  const mutation = useApiMutation({
    request: props.leave,
    // The cached data was read as a member.
    onSuccess: () => location.assign('/'),
  });
  return (
    <div>
      <Button variant="outline" color="red" onClick={() => setOpened(true)}>
        {props.label}
      </Button>
      {opened && (
        <ConfirmDialog
          title={props.label}
          confirmLabel={props.label}
          isPending={mutation.isPending}
          error={mutation.error}
          onClose={() => setOpened(false)}
          onConfirm={() => mutation.mutate(undefined)}
        >
          {props.text}
        </ConfirmDialog>
      )}
    </div>
  );
}
