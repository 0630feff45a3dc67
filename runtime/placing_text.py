"""
The functions that place slots for the sizes of a call, as LLVM text.

    i64 sr_place(sizes, firsts, lasts, orders, count, count of orders, offsets)

is `planning/stacked.py`: of the orders that were found beforehand, and of those by size
and by length of life, that is taken in which the slots need least, and each slot gets
the lowest gap that those before it leave. Sizes are multiples of the alignment and less
than 2**62 bytes together; a slot lives from its first step to its last. It returns the
bytes that the slots take. Orders are of 32 bits, all else is of 64.
"""

from __future__ import annotations

# A slot moves up over each of those before it that it meets, until it meets none. What
# it passes over on the way meets one of them, so this is the lowest gap.
PLACING = """\
define internal i64 @sr_stack(ptr %sizes, ptr %firsts, ptr %lasts, ptr %order,
                              i64 %count, ptr %offsets) nounwind noinline {
entry:
  br label %slot
slot:
  %at = phi i64 [0, %entry], [%at.next, %placed]
  %top = phi i64 [0, %entry], [%top.next, %placed]
  %more = icmp slt i64 %at, %count
  br i1 %more, label %one, label %done
one:
  %index.at = getelementptr inbounds i32, ptr %order, i64 %at
  %index.32 = load i32, ptr %index.at, align 4
  %index = zext i32 %index.32 to i64
  %size.at = getelementptr inbounds i64, ptr %sizes, i64 %index
  %size = load i64, ptr %size.at, align 8
  %first.at = getelementptr inbounds i64, ptr %firsts, i64 %index
  %first = load i64, ptr %first.at, align 8
  %last.at = getelementptr inbounds i64, ptr %lasts, i64 %index
  %last = load i64, ptr %last.at, align 8
  %empty = icmp eq i64 %size, 0
  br i1 %empty, label %placed, label %sweep
sweep:
  %low = phi i64 [0, %one], [%start, %swept]
  br label %others
others:
  %from = phi i64 [0, %sweep], [%from.next, %other]
  %start = phi i64 [%low, %sweep], [%start.next, %other]
  %before = icmp slt i64 %from, %at
  br i1 %before, label %other, label %swept
other:
  %that.at = getelementptr inbounds i32, ptr %order, i64 %from
  %that.32 = load i32, ptr %that.at, align 4
  %that = zext i32 %that.32 to i64
  %its.first.at = getelementptr inbounds i64, ptr %firsts, i64 %that
  %its.first = load i64, ptr %its.first.at, align 8
  %its.last.at = getelementptr inbounds i64, ptr %lasts, i64 %that
  %its.last = load i64, ptr %its.last.at, align 8
  %its.size.at = getelementptr inbounds i64, ptr %sizes, i64 %that
  %its.size = load i64, ptr %its.size.at, align 8
  %its.offset.at = getelementptr inbounds i64, ptr %offsets, i64 %that
  %its.offset = load i64, ptr %its.offset.at, align 8
  %its.end = add i64 %its.offset, %its.size
  %end = add i64 %start, %size
  %begins = icmp sle i64 %its.first, %last
  %continues = icmp sle i64 %first, %its.last
  %below = icmp slt i64 %its.offset, %end
  %above = icmp slt i64 %start, %its.end
  %together = and i1 %begins, %continues
  %touches = and i1 %below, %above
  %meets = and i1 %together, %touches
  %start.next = select i1 %meets, i64 %its.end, i64 %start
  %from.next = add nuw nsw i64 %from, 1
  br label %others
swept:
  %moved = icmp ne i64 %start, %low
  br i1 %moved, label %sweep, label %placed
placed:
  %offset = phi i64 [0, %one], [%start, %swept]
  %offset.at = getelementptr inbounds i64, ptr %offsets, i64 %index
  store i64 %offset, ptr %offset.at, align 8
  %its.top = add i64 %offset, %size
  %top.next = call i64 @llvm.smax.i64(i64 %top, i64 %its.top)
  %at.next = add nuw nsw i64 %at, 1
  br label %slot
done:
  ret i64 %top
}
define internal i64 @sr_bound(ptr %sizes, ptr %firsts, ptr %lasts, i64 %count)
                              nounwind noinline {
entry:
  br label %look
look:
  %looked = phi i64 [0, %entry], [%looked.next, %longer]
  %steps = phi i64 [0, %entry], [%steps.next, %longer]
  %more = icmp slt i64 %looked, %count
  br i1 %more, label %longer, label %clear
longer:
  %end.at = getelementptr inbounds i64, ptr %lasts, i64 %looked
  %end = load i64, ptr %end.at, align 8
  %after = add nsw i64 %end, 1
  %steps.next = call i64 @llvm.smax.i64(i64 %steps, i64 %after)
  %looked.next = add nuw nsw i64 %looked, 1
  br label %look
clear:
  %room = add nsw i64 %steps, 1
  %bytes = shl i64 %room, 3
  %changes = alloca i64, i64 %room, align 8
  call void @llvm.memset.p0.i64(ptr align 8 %changes, i8 0, i64 %bytes, i1 false)
  br label %slot
slot:
  %at = phi i64 [0, %clear], [%at.next, %one]
  %rest = icmp slt i64 %at, %count
  br i1 %rest, label %one, label %sum
one:
  %size.at = getelementptr inbounds i64, ptr %sizes, i64 %at
  %size = load i64, ptr %size.at, align 8
  %first.at = getelementptr inbounds i64, ptr %firsts, i64 %at
  %first = load i64, ptr %first.at, align 8
  %begin = getelementptr inbounds i64, ptr %changes, i64 %first
  %before = load i64, ptr %begin, align 8
  %begun = add i64 %before, %size
  store i64 %begun, ptr %begin, align 8
  %last.at = getelementptr inbounds i64, ptr %lasts, i64 %at
  %last = load i64, ptr %last.at, align 8
  %behind = add nsw i64 %last, 1
  %ended = getelementptr inbounds i64, ptr %changes, i64 %behind
  %during = load i64, ptr %ended, align 8
  %less = sub i64 %during, %size
  store i64 %less, ptr %ended, align 8
  %at.next = add nuw nsw i64 %at, 1
  br label %slot
sum:
  %step = phi i64 [0, %slot], [%step.next, %lives]
  %live = phi i64 [0, %slot], [%live.next, %lives]
  %most = phi i64 [0, %slot], [%most.next, %lives]
  %left = icmp slt i64 %step, %steps
  br i1 %left, label %lives, label %done
lives:
  %change.at = getelementptr inbounds i64, ptr %changes, i64 %step
  %change = load i64, ptr %change.at, align 8
  %live.next = add i64 %live, %change
  %most.next = call i64 @llvm.smax.i64(i64 %most, i64 %live.next)
  %step.next = add nuw nsw i64 %step, 1
  br label %sum
done:
  ret i64 %most
}
define internal void @sr_sort(ptr %keys, ptr %order, i64 %count) nounwind noinline {
entry:
  br label %slot
slot:
  %at = phi i64 [1, %entry], [%at.next, %sunk]
  %more = icmp slt i64 %at, %count
  br i1 %more, label %one, label %done
one:
  %index.at = getelementptr inbounds i32, ptr %order, i64 %at
  %index = load i32, ptr %index.at, align 4
  %index.64 = zext i32 %index to i64
  %key.at = getelementptr inbounds i64, ptr %keys, i64 %index.64
  %key = load i64, ptr %key.at, align 8
  br label %sink
sink:
  %to = phi i64 [%at, %one], [%to.less, %shift]
  %inside = icmp sgt i64 %to, 0
  br i1 %inside, label %compare, label %sunk
compare:
  %to.less = sub nsw i64 %to, 1
  %other.at = getelementptr inbounds i32, ptr %order, i64 %to.less
  %other = load i32, ptr %other.at, align 4
  %other.64 = zext i32 %other to i64
  %its.key.at = getelementptr inbounds i64, ptr %keys, i64 %other.64
  %its.key = load i64, ptr %its.key.at, align 8
  %after = icmp sgt i64 %its.key, %key
  br i1 %after, label %shift, label %sunk
shift:
  %to.at = getelementptr inbounds i32, ptr %order, i64 %to
  store i32 %other, ptr %to.at, align 4
  br label %sink
sunk:
  %place = getelementptr inbounds i32, ptr %order, i64 %to
  store i32 %index, ptr %place, align 4
  %at.next = add nuw nsw i64 %at, 1
  br label %slot
done:
  ret void
}
define internal void @sr_order(ptr %sizes, ptr %firsts, ptr %lasts, ptr %order,
                               i64 %count, ptr %keys) nounwind noinline {
entry:
  %by.life = icmp ne ptr %firsts, null
  br label %slot
slot:
  %at = phi i64 [0, %entry], [%at.next, %keyed]
  %more = icmp slt i64 %at, %count
  br i1 %more, label %one, label %sort
one:
  br i1 %by.life, label %life, label %size
life:
  %first.at = getelementptr inbounds i64, ptr %firsts, i64 %at
  %first = load i64, ptr %first.at, align 8
  %last.at = getelementptr inbounds i64, ptr %lasts, i64 %at
  %last = load i64, ptr %last.at, align 8
  %life.key = sub i64 %first, %last
  br label %keyed
size:
  %size.at = getelementptr inbounds i64, ptr %sizes, i64 %at
  %bytes = load i64, ptr %size.at, align 8
  %size.key = sub i64 0, %bytes
  %number = trunc i64 %at to i32
  %order.at = getelementptr inbounds i32, ptr %order, i64 %at
  store i32 %number, ptr %order.at, align 4
  br label %keyed
keyed:
  %key = phi i64 [%life.key, %life], [%size.key, %size]
  %key.at = getelementptr inbounds i64, ptr %keys, i64 %at
  store i64 %key, ptr %key.at, align 8
  %at.next = add nuw nsw i64 %at, 1
  br label %slot
sort:
  call void @sr_sort(ptr %keys, ptr %order, i64 %count)
  ret void
}
define i64 @sr_place(ptr %sizes, ptr %firsts, ptr %lasts, ptr %orders, i64 %count,
                     i64 %known, ptr %offsets) nounwind {
entry:
  %tried = alloca i64, i64 %count, align 8
  %own = alloca i32, i64 %count, align 8
  %bound = call i64 @sr_bound(ptr %sizes, ptr %firsts, ptr %lasts, i64 %count)
  %all = add nsw i64 %known, 2
  br label %turn
turn:
  %at = phi i64 [0, %entry], [%at.next, %after]
  %best = phi i64 [9223372036854775807, %entry], [%best.next, %after]
  %is.known = icmp slt i64 %at, %known
  br i1 %is.known, label %given, label %made
given:
  %start = mul nsw i64 %at, %count
  %given.order = getelementptr inbounds i32, ptr %orders, i64 %start
  br label %stack
made:
  %by.size = icmp eq i64 %at, %known
  %lives = select i1 %by.size, ptr null, ptr %firsts
  call void @sr_order(ptr %sizes, ptr %lives, ptr %lasts, ptr %own, i64 %count,
                      ptr %tried)
  br label %stack
stack:
  %order = phi ptr [%given.order, %given], [%own, %made]
  %top = call i64 @sr_stack(ptr %sizes, ptr %firsts, ptr %lasts, ptr %order,
                           i64 %count, ptr %tried)
  %better = icmp slt i64 %top, %best
  br i1 %better, label %keep, label %after
keep:
  %bytes = shl i64 %count, 3
  call void @llvm.memcpy.p0.p0.i64(ptr align 8 %offsets, ptr align 8 %tried,
                                   i64 %bytes, i1 false)
  br label %after
after:
  %best.next = call i64 @llvm.smin.i64(i64 %best, i64 %top)
  %at.next = add nuw nsw i64 %at, 1
  %least = icmp sle i64 %best.next, %bound
  %last = icmp sge i64 %at.next, %all
  %ends = or i1 %least, %last
  br i1 %ends, label %done, label %turn
done:
  ret i64 %best.next
}
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
declare i64 @llvm.smin.i64(i64, i64)
declare i64 @llvm.smax.i64(i64, i64)
"""

PLACE_DECLARED = "declare i64 @sr_place(ptr, ptr, ptr, ptr, i64, i64, ptr)\n"
