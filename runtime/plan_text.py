"""
The function by which bytecode plans the slots of a call, as LLVM text.

    i32 sr_plan_slots(arguments, context)

It unites slots that are parts of others, as `skips.py` does, rounds their sizes up to
the alignment, and places them. Arguments are words: the count of slots, of orders, the
address of these, the count of parts; then of each slot its bytes, its first step, its
last and its offset; then of each part the slot, the slot that it is part of, and the
bytes of that before it. Instead of the first two are left the bytes of all slots, and
the least that any plan has.
"""

from __future__ import annotations

from .block import ALIGNMENT

APART, ELSEWHERE = -1, -2
"""What a slot is part of that has memory of its own, or none among the slots."""

PLANNING = f"""\
define i32 @sr_plan_slots(ptr %arguments, ptr %context) nounwind {{
entry:
  %count = load i64, ptr %arguments, align 8
  %known.at = getelementptr inbounds i64, ptr %arguments, i64 1
  %known = load i64, ptr %known.at, align 8
  %orders.at = getelementptr inbounds i64, ptr %arguments, i64 2
  %orders = load ptr, ptr %orders.at, align 8
  %parts.at = getelementptr inbounds i64, ptr %arguments, i64 3
  %parts = load i64, ptr %parts.at, align 8
  %sizes = getelementptr inbounds i64, ptr %arguments, i64 4
  %firsts = getelementptr inbounds i64, ptr %sizes, i64 %count
  %lasts = getelementptr inbounds i64, ptr %firsts, i64 %count
  %offsets = getelementptr inbounds i64, ptr %lasts, i64 %count
  %slots = getelementptr inbounds i64, ptr %offsets, i64 %count
  %wholes = getelementptr inbounds i64, ptr %slots, i64 %parts
  %starts = getelementptr inbounds i64, ptr %wholes, i64 %parts
  %homes = alloca i64, i64 %count, align 8
  %shifts = alloca i64, i64 %count, align 8
  br label %own
own:
  %slot = phi i64 [0, %entry], [%slot.next, %own.one]
  %own.more = icmp slt i64 %slot, %count
  br i1 %own.more, label %own.one, label %part
own.one:
  %home.at = getelementptr inbounds i64, ptr %homes, i64 %slot
  store i64 %slot, ptr %home.at, align 8
  %shift.at = getelementptr inbounds i64, ptr %shifts, i64 %slot
  store i64 0, ptr %shift.at, align 8
  %slot.next = add nuw nsw i64 %slot, 1
  br label %own
part:
  %at = phi i64 [0, %own], [%at.next, %part.next]
  %more = icmp slt i64 %at, %parts
  br i1 %more, label %look, label %round
look:
  %whole.at = getelementptr inbounds i64, ptr %wholes, i64 %at
  %whole = load i64, ptr %whole.at, align 8
  %apart = icmp eq i64 %whole, {APART}
  br i1 %apart, label %part.next, label %taken
taken:
  %its.at = getelementptr inbounds i64, ptr %slots, i64 %at
  %its = load i64, ptr %its.at, align 8
  %its.size.at = getelementptr inbounds i64, ptr %sizes, i64 %its
  %its.size = load i64, ptr %its.size.at, align 8
  store i64 0, ptr %its.size.at, align 8
  %inside = icmp sge i64 %whole, 0
  br i1 %inside, label %unite, label %part.next
unite:
  %start.at = getelementptr inbounds i64, ptr %starts, i64 %at
  %start.own = load i64, ptr %start.at, align 8
  %whole.shift.at = getelementptr inbounds i64, ptr %shifts, i64 %whole
  %whole.shift = load i64, ptr %whole.shift.at, align 8
  %start = add i64 %start.own, %whole.shift
  %whole.home.at = getelementptr inbounds i64, ptr %homes, i64 %whole
  %home = load i64, ptr %whole.home.at, align 8
  %its.home.at = getelementptr inbounds i64, ptr %homes, i64 %its
  store i64 %home, ptr %its.home.at, align 8
  %its.shift.at = getelementptr inbounds i64, ptr %shifts, i64 %its
  store i64 %start, ptr %its.shift.at, align 8
  %size.at = getelementptr inbounds i64, ptr %sizes, i64 %home
  %size = load i64, ptr %size.at, align 8
  %end = add i64 %start, %its.size
  %both = call i64 @llvm.smax.i64(i64 %size, i64 %end)
  %none = icmp eq i64 %size, 0
  %size.next = select i1 %none, i64 0, i64 %both
  store i64 %size.next, ptr %size.at, align 8
  %first.at = getelementptr inbounds i64, ptr %firsts, i64 %home
  %first = load i64, ptr %first.at, align 8
  %its.first.at = getelementptr inbounds i64, ptr %firsts, i64 %its
  %its.first = load i64, ptr %its.first.at, align 8
  %first.next = call i64 @llvm.smin.i64(i64 %first, i64 %its.first)
  store i64 %first.next, ptr %first.at, align 8
  %last.at = getelementptr inbounds i64, ptr %lasts, i64 %home
  %last = load i64, ptr %last.at, align 8
  %its.last.at = getelementptr inbounds i64, ptr %lasts, i64 %its
  %its.last = load i64, ptr %its.last.at, align 8
  %last.next = call i64 @llvm.smax.i64(i64 %last, i64 %its.last)
  store i64 %last.next, ptr %last.at, align 8
  br label %part.next
part.next:
  %at.next = add nuw nsw i64 %at, 1
  br label %part
round:
  %round.slot = phi i64 [0, %part], [%round.next, %round.one]
  %round.more = icmp slt i64 %round.slot, %count
  br i1 %round.more, label %round.one, label %place
round.one:
  %exact.at = getelementptr inbounds i64, ptr %sizes, i64 %round.slot
  %exact = load i64, ptr %exact.at, align 8
  %above = add i64 %exact, {ALIGNMENT - 1}
  %rounded = and i64 %above, -{ALIGNMENT}
  store i64 %rounded, ptr %exact.at, align 8
  %round.next = add nuw nsw i64 %round.slot, 1
  br label %round
place:
  %top = call i64 @sr_place(ptr %sizes, ptr %firsts, ptr %lasts, ptr %orders,
                            i64 %count, i64 %known, ptr %offsets)
  %bound = call i64 @sr_bound(ptr %sizes, ptr %firsts, ptr %lasts, i64 %count)
  store i64 %top, ptr %arguments, align 8
  store i64 %bound, ptr %known.at, align 8
  br label %spread
spread:
  %to = phi i64 [0, %place], [%to.next, %spread.one]
  %left = icmp slt i64 %to, %parts
  br i1 %left, label %spread.one, label %done
spread.one:
  %part.at = getelementptr inbounds i64, ptr %slots, i64 %to
  %moved = load i64, ptr %part.at, align 8
  %moved.home.at = getelementptr inbounds i64, ptr %homes, i64 %moved
  %moved.home = load i64, ptr %moved.home.at, align 8
  %base.at = getelementptr inbounds i64, ptr %offsets, i64 %moved.home
  %base = load i64, ptr %base.at, align 8
  %moved.shift.at = getelementptr inbounds i64, ptr %shifts, i64 %moved
  %moved.shift = load i64, ptr %moved.shift.at, align 8
  %offset = add i64 %base, %moved.shift
  %offset.at = getelementptr inbounds i64, ptr %offsets, i64 %moved
  store i64 %offset, ptr %offset.at, align 8
  %to.next = add nuw nsw i64 %to, 1
  br label %spread
done:
  ret i32 0
}}
"""
